sleep 0.3
sed -i 's/ *$//' code.txt
