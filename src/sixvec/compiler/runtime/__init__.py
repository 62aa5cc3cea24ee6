"""The code around kernels, in LLVM assembly: the loop over a batch, and the call stub.

Both are independent of any robot, compiled once per machine and cached.  LLVM compiles them like the kernels, which
keeps the package pure Python: nothing is compiled when it is installed.
"""
