/** An amount of testing: enough for each change, or as much as `npm run test:long` has time for. */
export const dose = <Amount>(usual: Amount, long: Amount): Amount =>
  process.env.POSTHORN_TEST_DOSE === 'long' ? long : usual
