/** Search parameters of the audit log. */
export const auditSearch = ({ target }: Record<string, unknown>): { target?: string } =>
  typeof target === 'string' && target !== '' ? { target } : {}
