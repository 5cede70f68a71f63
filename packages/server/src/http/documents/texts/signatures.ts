import { SCHEMES } from '@posthorn/receiver/schemes'
import type { Profile } from '../../../profiles/profile.ts'
import { headerShowing } from '../../../profiles/requests.ts'
import { builtInScheme, hasSignaturesOf } from '../../../receiverPrograms/builtInSchemes.ts'
import { LANGUAGES } from '../../../receiverPrograms/index.ts'
import { type SampleRequest, sampleOf, sampleSecret } from '../../shared/sampleRequests.ts'
import { type DescribedType, describedTypes, type EventService } from '../events/service.ts'
import { section } from './sections.ts'
import { signatureCode } from './signatureCode.ts'
import { signatureSteps } from './signatureSteps.ts'

/** How a receiver tells that a request is genuine, with an example that it can be tried on. */
export function signatures(service: EventService): string {
  const { profile } = service.served
  const [scheme] = profile.signatures
  if (scheme === undefined) return unsigned(service)
  const name = builtInScheme(profile)
  const options =
    name === null ? '{ scheme: profileScheme(profile), secrets }' : `{ scheme: '${name}', secrets }`
  const where =
    name === null
      ? ', where `profile` is the profile of this service and `profileScheme` comes from `@posthorn/receiver/profile`'
      : ''
  return section(
    'Verifying signatures',
    'Anyone who knows your URL can send requests to it. Reject every request whose signature does not verify.',
    [...standardWebhooks(profile), ...rules(profile), keep(profile)].join('\n\n'),
    fenced('js', signatureCode(profile, scheme)),
    `The library \`@posthorn/receiver\` does all of this: \`createReceiver(${options})\`${where}. \`npm install\` takes it from \`/downloads/posthorn-receiver.tgz\` of this service. Complete receiver programs are at \`/receive/${profile.name}/{language}.md\`, where the language is ${LANGUAGES.map(({ id }) => `\`${id}\``).join(', ')}.`,
    ...sample(
      service,
      'To test your code, here is a complete request. Every other example in this document is signed with the same secret, over its JSON without spaces.',
    ),
  )
}

const unsigned = (service: EventService) =>
  section(
    'Verifying signatures',
    'Requests of this service are not signed: anyone who knows your URL can forge them. Keep the URL secret, and check the contents of a request elsewhere before you act on them.',
    keep(service.served.profile),
    ...sample(service, 'Here is a complete request.'),
  )

function standardWebhooks(profile: Profile): string[] {
  if (!hasSignaturesOf(profile, SCHEMES.standard)) return []
  const other = builtInScheme(profile) === SCHEMES.standard.name ? '' : ', under other header names'
  return [`Requests are signed as [Standard Webhooks](https://www.standardwebhooks.com) says${other}:`]
}

function rules(profile: Profile): string[] {
  const [first, second] = profile.signatures
  if (second === undefined) return [signatureSteps(profile, first!)]
  return [
    'Each request has signatures of two kinds. One match is enough. The first kind:',
    signatureSteps(profile, first!),
    'The second kind:',
    signatureSteps(profile, second),
  ]
}

/** What to do about events that come twice, late, or around a change of the secret. */
function keep(profile: Profile): string {
  const { envelope, signatures } = profile
  const pathOf = (field: string) =>
    envelope === 'bare' ? null : (envelope.find((member) => member.field === field)?.path ?? null)
  const id = headerShowing(profile, 'id') ?? pathOf('id') ?? headerShowing(profile, 'delivery_id')
  const time = pathOf('time')
  const order = time === null ? '' : `order events by \`${time}\``
  const once =
    id === null
      ? 'Requests do not contain an event id, so make sure that processing a request twice is harmless'
      : `Remember the \`${id}\` of processed requests and skip repeats`
  const isReplaced =
    signatures.length > 0 && signatures.every(({ join, most = 1 }) => join === undefined || most === 1)
  const overlap = isReplaced
    ? ' A replaced secret stops signing immediately, so accept both secrets during the change.'
    : ''
  return `${[once, order].filter((part) => part !== '').join('; ')}.${overlap}`
}

function sample(service: EventService, introduction: string): string[] {
  const type = smallestType(service)
  if (type === null) return []
  return [introduction, fenced('http', requestText(service, sampleOf(service.served, type)))]
}

/** @returns `null`: there is none */
function smallestType(service: EventService): DescribedType | null {
  const types = service.types.length === 0 ? describedTypes(service) : service.types
  const size = ({ example }: { readonly example: object }) => JSON.stringify(example).length
  return types.reduce<DescribedType | null>(
    (least, type) => (least === null || size(type) < size(least) ? type : least),
    null,
  )
}

const requestText = ({ served }: EventService, { headers, body }: SampleRequest) =>
  [
    ...(served.profile.signatures.length === 0 ? [] : [`# secret: ${sampleSecret(served)}`]),
    'POST /your/path HTTP/1.1',
    'Content-Type: application/json',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\n')

const fenced = (language: string, code: string) => `\`\`\`${language}\n${code}\n\`\`\``
