/** Options of undici for servers that speak HTTPS. @param ca that they are to be believed by, PEM; `null`: they speak plain HTTP */
export const trusting = (ca: string | null) => (ca === null ? {} : { connect: { ca } })
