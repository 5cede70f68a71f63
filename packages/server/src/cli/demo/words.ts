import type { Account } from './account.ts'
import { CAST, SERVICES, type ServiceName } from './cast.ts'
import type { Printer } from './printer.ts'
import { VERIFIERS } from './verifiers.ts'

const FULL_NAMES: Readonly<Record<ServiceName, string>> = {
  content: 'Content workflow service',
  ads: 'Advertising platform',
}

/** The first words, before anything is started. */
export function printOpening(printer: Printer): void {
  printer.say(`${printer.styled('bold', 'Posthorn')} sends the events of two services to seven receivers.`)
  printer.say('All of it is real and on this machine: the service, its store, HTTPS, signatures.')
  printer.say('Only the waits are short: hours in production are seconds here.')
  for (const service of SERVICES) {
    const library = printer.styled('dim', `(its receivers verify with ${VERIFIERS[service].library})`)
    printer.say('')
    printer.say(`${printer.styled('bold', FULL_NAMES[service])} ${library}`)
    for (const part of CAST.filter((one) => one.service === service)) {
      const count = part.types === 'all' ? 'all events' : counted(part.types.length)
      printer.say(`  ${part.name.padEnd(16)}${part.manner.padEnd(24)}${printer.styled('dim', count)}`)
    }
  }
}

/** How to go on by hand. */
export function printEnding(
  printer: Printer,
  service: { readonly url: string; readonly adminToken: string; readonly accounts: readonly Account[] },
): void {
  printer.heading('Now you')
  printer.paragraph(
    'The service and its receivers stay up. Publish an event from another terminal and see it arrive here:',
  )
  for (const { curl, workspace } of service.accounts) {
    printer.say('')
    printer.say(printer.styled('dim', `# ${workspace}`))
    printer.say(curl)
  }
  printer.say('')
  printer.say(`The API          ${service.url}`)
  printer.say(`The admin token  ${service.adminToken}`)
  printer.say('')
  printer.say('Ctrl-C stops it all and leaves nothing behind.')
  printer.say('')
}

function counted(count: number): string {
  return count === 1 ? 'one event type' : `${count} event types`
}
