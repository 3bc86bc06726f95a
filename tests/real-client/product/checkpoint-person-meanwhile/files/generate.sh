printf "typed\ngenerated\n" > maybe.txt
exit 1
