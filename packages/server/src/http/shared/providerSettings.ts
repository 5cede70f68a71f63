import type { Role } from '../../storage/rows.ts'

/** What one value of the roles claim gives. */
export type ClaimGrant =
  | { readonly value: string; readonly operator: true }
  /** @property workspace id or slug */
  | { readonly value: string; readonly operator: false; readonly workspace: string; readonly role: Role }

/** The OpenID Connect provider that signs people in to the console, as the operator set it. */
export interface ProviderSettings {
  /** As its tokens spell it. */
  readonly issuer: string
  readonly clientId: string
  /** `null`: a public client, which only PKCE protects. */
  readonly clientSecret: string | null
  /** What people call it. */
  readonly name: string
  readonly scopes: string
  /** Path to the claim that holds roles or groups: names of members with dots between them. */
  readonly rolesClaim: string
  readonly grants: readonly ClaimGrant[]
  /** Whether addresses are accepted that the provider does not say it has verified. */
  readonly acceptsUnverified: boolean
}
