"""Small helpers of programs, none of them about the accelerator."""
