/** Of what can be had in any amount: enough for each change, or what `npm run test:long` has the time for. */
export const dose = <Amount>(usual: Amount, long: Amount): Amount =>
  process.env.POSTHORN_TEST_DOSE === 'long' ? long : usual
