#!/bin/sh
# Prints what tries to be markup or a terminal's code, one line of a megabyte, and a numbered line until it is ended.
printf "<script>document.title='owned'</script>\n<img src=x onerror=\"document.title='owned'\">\n</script><!-- --><svg onload=alert(1)>\n"
printf '\033[31mred\033[0m \033]0;owned\007 \377\376 \342\200\256 backwards\n'
head -c 1048576 /dev/zero | tr '\0' x
echo
number=0
while :; do
    number=$((number + 1))
    echo "tick $number of rank $RANK"
    sleep 0.1
done
