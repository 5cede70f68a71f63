export { type AddressClass, type AddressKind, classifyAddress } from './address.ts'
export {
  type AddressRange,
  type EgressRules,
  isAllowedAddress,
  isAllowedHost,
  PUBLIC_ONLY,
  parseEgressRules,
} from './rules.ts'
export {
  checkTargetUrl,
  MAX_URL_LENGTH,
  refuseOrigin,
  type TargetCheck,
  type TargetErrorCode,
  type TargetOrigin,
  type TargetRefusal,
} from './url.ts'
