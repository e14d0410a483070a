#include "simdjson.cpp"
