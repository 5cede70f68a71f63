const server = (folder) => `^packages/server/src/${folder}`

/** Who may import whom; the layers are drawn in docs/architecture.md. */
const layer = (name, allowed) => ({
  name: `server-${name}`,
  comment: `${name} may import ${allowed.join(', ') || 'nothing'} of the server`,
  severity: 'error',
  from: { path: server(`${name}/`) },
  to: { path: '^packages/server/src/', pathNot: [name, ...allowed].map((folder) => server(`${folder}/`)) },
})

module.exports = {
  forbidden: [
    layer('core', []),
    layer('dialects', ['core']),
    layer('storage', ['core']),
    layer('engine', ['core', 'dialects', 'storage']),
    layer('http', ['core', 'dialects', 'storage', 'engine']),
    layer('cli', ['core', 'dialects', 'storage', 'engine', 'http']),
    {
      name: 'engine-knows-no-dialect',
      comment:
        'the engine works on the Dialect interface of core; which dialects there are is for main to say',
      severity: 'error',
      from: { path: server('engine/') },
      to: { path: server('dialects/') },
    },
    {
      name: 'core-is-pure',
      severity: 'error',
      from: { path: server('core/') },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|url|buffer)$' },
    },
    {
      name: 'receiver-stands-alone',
      severity: 'error',
      from: { path: '^packages/receiver/src/' },
      to: { pathNot: '^packages/receiver/src/' },
    },
    {
      name: 'server-uses-only-schemes-of-receiver',
      severity: 'error',
      from: { path: '^packages/server/src/' },
      to: { path: '^packages/receiver/', pathNot: '^packages/receiver/(src|dist)/schemes' },
    },
    {
      name: 'harness-is-a-black-box',
      severity: 'error',
      from: { path: '^harness/' },
      to: { path: '^packages/', pathNot: '^packages/receiver/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['posthorn-source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
