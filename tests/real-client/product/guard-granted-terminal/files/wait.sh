echo asking > asking.txt
i=0
while [ ! -e answered.txt ] && [ $i -lt 200 ]; do sleep 0.1; i=$((i + 1)); done
