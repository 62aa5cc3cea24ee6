"""A line of a program that prints the most memory that its process has used, in MiB.

The system also counts what a process was before it started another program, in `ru_maxrss`; here it does not.
"""

PRINT_PEAK = """
import re
print(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) // 1024)
"""
