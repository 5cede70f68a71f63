import document from '../../profiles/standard.json' with { type: 'json' }

/** What other profiles are as, in what they leave out. */
export const standardDocument = document
