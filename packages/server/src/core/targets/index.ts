export { type AddressKind, classifyAddress } from './address.ts'
export { type EgressRules, isAllowedAddress, isAllowedHost, PUBLIC_ONLY, parseEgressRules } from './rules.ts'
export { checkTargetUrl, refuseOrigin } from './url.ts'
