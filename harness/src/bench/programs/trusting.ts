/** TLS options of undici. @param ca that signed the server certificates, PEM; `null`: plain HTTP */
export const trusting = (ca: string | null) => (ca === null ? {} : { connect: { ca } })
