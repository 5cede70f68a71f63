import { type ConfigurationErrorCode, ReceiverConfigurationError } from '../core/errors.ts'

/** @param mistake completes "… {mistake}", such as "must be a string" */
function profileError(pointer: string, mistake: string): ReceiverConfigurationError {
  const where = pointer === '' ? 'The profile' : `${pointer} in the profile`
  return configurationError('profile_invalid', `${where} ${mistake}.`, pointer)
}

/** @param pointer JSON Pointer to what is wrong in the profile */
export function configurationError(
  code: ConfigurationErrorCode,
  message: string,
  pointer: string,
): ReceiverConfigurationError {
  return Object.assign(new ReceiverConfigurationError(code, message), { pointer })
}

/** One step of a JSON Pointer. */
export function step(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** A JSON value at its place in the profile. Members are read where they are the object's own, and nowhere else. */
export class JsonNode {
  readonly value: unknown
  readonly pointer: string

  constructor(value: unknown, pointer: string) {
    this.value = value
    this.pointer = pointer
  }

  /** @returns `undefined`: it is left out */
  member(name: string): JsonNode | undefined {
    const object = this.object()
    if (!Object.hasOwn(object, name) || object[name] === undefined) return undefined
    return new JsonNode(object[name], this.pointer + step(name))
  }

  /** @throws {ReceiverConfigurationError} where it is left out */
  required(name: string): JsonNode {
    const found = this.member(name)
    if (found === undefined) throw profileError(this.pointer + step(name), 'is required')
    return found
  }

  object(): Readonly<Record<string, unknown>> {
    const { value } = this
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, unknown>>
    throw this.error('must be an object')
  }

  items(most: number): JsonNode[] {
    if (!Array.isArray(this.value)) throw this.error('must be an array')
    if (this.value.length > most) throw this.error(`must have at most ${most} items`)
    return Array.from(this.value, (item, i) => new JsonNode(item, `${this.pointer}/${i}`))
  }

  text(maxLength: number): string {
    if (typeof this.value !== 'string') throw this.error('must be a string')
    if (this.value.length > maxLength) throw this.error(`must have at most ${maxLength} characters`)
    return this.value
  }

  boolean(): boolean {
    if (typeof this.value !== 'boolean') throw this.error('must be true or false')
    return this.value
  }

  oneOf<const Value extends string>(values: readonly Value[]): Value {
    const found = values.find((value) => value === this.value)
    if (found === undefined) throw this.error(`must be one of ${values.join(', ')}`)
    return found
  }

  count(least: number, most: number): number {
    const { value } = this
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
      return value as number
    throw this.error(`must be a whole number from ${least} to ${most}`)
  }

  error(mistake: string): ReceiverConfigurationError {
    return profileError(this.pointer, mistake)
  }
}
