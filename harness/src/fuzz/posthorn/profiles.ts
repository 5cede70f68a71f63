import fc from 'fast-check'

/** The service that exists from the start. */
export const LASTING_SERVICE = 'fuzz-one'
/** Few, so that changes and removals often hit an existing service. */
export const OTHER_SERVICES = ['fuzz-two', 'fuzz-three']

/** Profiles of services, most of them valid. */
export const profilesOf = (names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.record(
    {
      profile: fc.constant(1),
      name: fc.constantFrom(...names),
      title: fc.constantFrom('Billing', 'Orders'),
      compatibility: fc.constant('none'),
      paths: fc.constantFrom('workspace', 'flat'),
      case: fc.constantFrom('snake', 'camel'),
      policy: fc.record({ timeout: fc.constantFrom('1s', '10s', '1m', '60s', '9s', '2m') }),
      catalog: fc.record({
        open: fc.constantFrom(true, true, true, false),
        types: fc.uniqueArray(
          fc.record(
            {
              type: fc.constantFrom('invoice.paid', 'order.sent', 'a', 'b', 'c', 'a b'),
              title: fc.constant('A type'),
              schema: fc.constantFrom({ type: 'object' }, {}, { title: 'Any' }, { type: 'objet' }),
            },
            { requiredKeys: ['type', 'title'] },
          ),
          { selector: ({ type }) => type, maxLength: 2 },
        ),
      }),
    },
    { requiredKeys: ['profile', 'name', 'title', 'compatibility'] },
  )
