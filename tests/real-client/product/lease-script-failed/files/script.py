import sys
open('shared.txt', 'a').write('script\n')
sys.exit(3)
