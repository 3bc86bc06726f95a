open('shared.txt', 'a').write('script\n')
