# CMake is the only build; this target exists so that node-gyp, where a tool insists on it, calls it.
{
  'targets': [{
    'target_name': 'seriesdb',
    'type': 'none',
    'actions': [{
      'action_name': 'cmake_js',
      'inputs': ['CMakeLists.txt', 'native/sources.txt'],
      'outputs': ['build/native/Release/seriesdb.node'],
      'action': ['npx', 'cmake-js', 'build', '-O', 'build/native'],
    }],
  }],
}
