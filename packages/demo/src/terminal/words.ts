import type { Account } from '../accounts/account.ts'
import { CAST, SERVICES, type ServiceName } from '../story/cast.ts'
import type { Printer } from './printer.ts'

/** What each service is called, and the library that its receivers verify with. */
const INTRODUCTIONS: Readonly<Record<ServiceName, readonly [name: string, library: string]>> = {
  content: ['Content workflow service', 'standardwebhooks'],
  ads: ['Advertising platform', '@octokit/webhooks-methods'],
}

/** The introduction, printed before anything is started. */
export function printOpening(printer: Printer): void {
  const title = printer.styled('bold', 'Posthorn')
  printer.say(
    `${title} sends the events of two services to ${CAST.length} receivers. Most of them fail in some way.`,
  )
  printer.paragraph(
    'Everything is real and runs on this machine: the service, its store, HTTPS and signatures. Only the retry waits are short: what takes hours in production takes seconds here.',
  )
  for (const service of SERVICES) {
    const [name, library] = INTRODUCTIONS[service]
    const verifying = printer.styled('dim', `(its receivers verify with ${library})`)
    printer.say('')
    printer.say(`${printer.styled('bold', name)} ${verifying}`)
    for (const part of CAST.filter((one) => one.service === service)) {
      const count = part.types === 'all' ? 'all events' : counted(part.types.length)
      printer.say(`  ${part.name.padEnd(16)}${part.manner.padEnd(24)}${printer.styled('dim', count)}`)
    }
  }
}

/** Where to look while the demo runs. */
export function printInvitation(printer: Printer, consoleLink: string): void {
  printer.say('')
  printer.say('Watch it in your browser. This one-time link signs you in:')
  printer.say(consoleLink)
}

/** How to continue after the story. */
export function printEnding(
  printer: Printer,
  service: {
    readonly url: string
    readonly adminToken: string
    readonly accounts: readonly Account[]
    /** The sign-in link. */
    readonly consoleLink: string
  },
): void {
  printer.heading('Try it yourself')
  printer.paragraph(
    'The service and its receivers keep running. Publish an event from another terminal and see it arrive here:',
  )
  for (const { curl, workspace } of service.accounts) {
    printer.say('')
    printer.say(printer.styled('dim', `# ${workspace}`))
    printer.say(curl)
  }
  printer.say('')
  printer.say(`API reference  ${service.url}/docs`)
  printer.say(`Admin token    ${service.adminToken}`)
  printer.say('')
  printer.say('Press Ctrl-C to stop everything and remove all data.')
  printer.heading('Open the console. This one-time link signs you in:')
  printer.say(service.consoleLink)
  printer.say('')
}

function counted(count: number): string {
  return count === 1 ? 'one event type' : `${count} event types`
}
