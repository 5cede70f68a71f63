interface Document {
  readonly policy?: Readonly<Record<string, unknown>>
}

/** Parses a stored document; earlier builds stored two things of a policy under other names. */
export function parseStoredDocument(text: string): unknown {
  const document = JSON.parse(text) as Document
  if (document.policy === undefined) return document
  const { switch_off_after: disableAfter, ...policy } = document.policy
  return {
    ...document,
    policy: {
      ...policy,
      ...(disableAfter === undefined ? {} : { disable_after: disableAfter }),
      ...(policy.gone === 'switch-off' ? { gone: 'disable' } : {}),
    },
  }
}
