// The translation unit whose build makes a precompiled header.
