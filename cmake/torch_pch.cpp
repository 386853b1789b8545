// The translation unit whose build makes the precompiled header.
