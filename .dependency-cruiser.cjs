const server = (folder) => `^packages/server/src/${folder}`

/** Who may import whom; the layers are drawn in docs/architecture.md. */
const layer = (name, allowed) => ({
  name: `server-${name}`,
  comment: `${name} may import ${allowed.join(', ') || 'nothing'} of the server`,
  severity: 'error',
  from: { path: server(`${name}/`) },
  to: { path: '^packages/server/src/', pathNot: [name, ...allowed].map((folder) => server(`${folder}/`)) },
})

/** Siblings that must not lean on each other. */
const apart = (folder, siblings) => ({
  name: `${folder}-apart`,
  severity: 'error',
  from: { path: server(`${folder}/(${siblings.join('|')})/`) },
  to: { path: server(`${folder}/(${siblings.join('|')})/`), pathNot: server(`${folder}/$1/`) },
})

module.exports = {
  forbidden: [
    layer('core', []),
    layer('validation', ['core']),
    layer('profiles', ['core', 'validation']),
    layer('receiverPrograms', ['core', 'profiles']),
    layer('storage', ['core']),
    // No profiles: the engine works on the Dialect interface of core, and never asks which service it is.
    layer('engine', ['core', 'validation', 'storage']),
    layer('services', ['core', 'validation', 'profiles', 'storage', 'engine']),
    layer('http', ['core', 'validation', 'profiles', 'receiverPrograms', 'storage', 'engine', 'services']),
    layer('mail', ['core', 'storage', 'engine']),
    layer('outbox', ['core', 'engine']),
    layer('cli', [
      'core',
      'validation',
      'profiles',
      'storage',
      'engine',
      'services',
      'http',
      'mail',
      'outbox',
    ]),
    {
      name: 'core-is-pure',
      comment: 'types of Node may be named; what is random, timed or stored comes in as a parameter',
      severity: 'error',
      from: { path: server('core/') },
      to: { dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'core-has-one-library',
      severity: 'error',
      from: { path: server('core/') },
      to: { dependencyTypes: ['npm'], pathNot: '/ipaddr\\.js/' },
    },
    {
      name: 'profiles-are-pure',
      comment: 'data and pure functions; of Node they need what signs',
      severity: 'error',
      from: { path: server('profiles/') },
      to: { dependencyTypes: ['core', 'npm'], pathNot: '^(node:)?crypto$|/typebox/' },
    },
    apart('http', ['admin', 'console', 'ops', 'documents', 'pages', 'signIn']),
    {
      name: 'http-shares-downwards',
      comment: 'what is shared knows none of those who share it',
      severity: 'error',
      from: { path: server('http/shared/') },
      to: { path: server('http/'), pathNot: server('http/shared/') },
    },
    {
      name: 'stores-are-interchangeable',
      comment: 'only the command that opens a store knows more than its interface',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: server('(storage/[a-z]+/|cli/)') },
      to: { path: server('storage/[a-z]+/'), pathNot: server('storage/interface/') },
    },
    {
      name: 'telemetry-is-loaded-on-demand',
      comment: 'a service without a collector loads nothing of OpenTelemetry',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: server('cli/telemetry/') },
      to: { path: server('cli/telemetry/'), dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'opentelemetry-is-known-to-telemetry-alone',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: server('cli/telemetry/') },
      to: { path: '/@opentelemetry/' },
    },
    {
      name: 'openid-client-is-loaded-on-demand',
      comment: 'a service without an identity provider loads nothing of it',
      severity: 'error',
      from: { path: '^packages/server/src/' },
      to: { path: '/openid-client/', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'receiver-stands-alone',
      severity: 'error',
      from: { path: '^packages/receiver/src/' },
      to: { pathNot: '^packages/receiver/src/' },
    },
    {
      name: 'client-needs-only-fetch',
      comment:
        'it runs wherever there is fetch, so nothing of Node; and it knows the service by its documents alone',
      severity: 'error',
      from: { path: '^packages/client/src/' },
      to: { pathNot: '^(packages/client/src/|node_modules/(openapi-fetch|kysely|drizzle-orm)/)' },
    },
    {
      name: 'demo-stands-alone',
      comment: 'the server lends it what it needs, so that it can be installed or left out',
      severity: 'error',
      from: { path: '^packages/demo/src/' },
      to: { path: '^(packages|apps|harness|tools)/', pathNot: '^packages/demo/src/' },
    },
    {
      name: 'demo-is-known-to-its-command-alone',
      severity: 'error',
      from: { path: '^packages/server/src/', pathNot: server('cli/demo(Service)?\\.ts$') },
      to: { path: '^packages/demo/' },
    },
    {
      name: 'server-uses-only-schemes-of-receiver',
      severity: 'error',
      from: { path: '^packages/server/src/' },
      to: { path: '^packages/receiver/', pathNot: '^packages/receiver/(src|dist)/schemes\\.' },
    },
    {
      name: 'console-knows-only-the-documents',
      comment: 'of everything else here it may see the types that are generated from docs/api',
      severity: 'error',
      from: { path: '^apps/console/' },
      to: { path: '^(packages|harness|tools)/', pathNot: '^packages/client/src/generated/' },
    },
    {
      name: 'reference-stands-alone',
      severity: 'error',
      from: { path: '^apps/reference/' },
      to: { path: '^(packages|apps|harness|tools)/', pathNot: '^apps/(reference/|[^/]+\\.ts$)' },
    },
    {
      name: 'harness-is-a-black-box',
      severity: 'error',
      from: { path: '^harness/' },
      to: { path: '^(packages|apps)/', pathNot: '^packages/receiver/(src|dist)/(index|schemes)\\.' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Programs of receivers run elsewhere, where they are installed.
    exclude: {
      path: '(^|/)dist/|^packages/server/(console|help|reference)/|^harness/src/subscribers/programs/(next|worker)/',
    },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ['posthorn-source', 'import', 'node', 'default', 'types'],
      exportsFields: ['exports'],
    },
  },
}
