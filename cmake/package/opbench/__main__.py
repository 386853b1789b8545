import opbench

opbench.main()
