import document from '../../profiles/standard.json' with { type: 'json' }

/** The defaults of all other profiles. */
export const standardDocument = document
