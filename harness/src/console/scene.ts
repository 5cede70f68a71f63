import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { BrowserContext, Page } from 'playwright-core'
import { launchBrowser } from '../browser/browser.ts'
import type { Look, TestBrowser } from '../browser/testBrowser.ts'
import { type Identity, makeLoopbackIdentity } from '../receivers/certificate.ts'
import { Api } from '../support/http.ts'
import { ADMIN_TOKEN, type PosthornProcess, type Settings, startService } from '../support/posthorn.ts'
import { makeDirectory, removeDirectory } from '../support/tempDirectory.ts'
import { createWorkspace, type DialectName, type WorkspaceClient } from '../support/workspaces.ts'
import { Mailbox } from './mailbox.ts'
import { CustomerReceiver } from './receiver.ts'
import { type Faults, watchPages } from './watchPages.ts'

export type Role = 'owner' | 'editor' | 'viewer'

/** An open page, with the faults in it and in other tabs of the same window. */
export interface OpenPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly faults: Faults
}

/** Only ends hanging tests: two cores run four browsers and their servers. */
const PATIENCE_MS = 90_000

/** A service, a customer's receiver and a browser: everything that a console test needs. */
export class Scene {
  readonly receiver: CustomerReceiver
  readonly browser: TestBrowser
  readonly api: Api
  readonly dataDir: string
  readonly #onStopped: () => Promise<void>
  #service: PosthornProcess

  private constructor(
    parts: Pick<Scene, 'service' | 'receiver' | 'browser' | 'dataDir'>,
    onStopped: () => Promise<void>,
  ) {
    this.#onStopped = onStopped
    this.#service = parts.service
    this.receiver = parts.receiver
    this.browser = parts.browser
    this.dataDir = parts.dataDir
    this.api = new Api(() => this.service.url)
  }

  get service(): PosthornProcess {
    return this.#service
  }

  /**
   * @param receives whether the customer's receiver uses TLS; the service then trusts its certificate
   * @param onStopped removes the files that the settings name
   */
  static async start(
    settings: Settings = {},
    receives: 'http' | 'https' = 'http',
    onStopped = async () => {},
  ): Promise<Scene> {
    const dataDir = makeDirectory()
    const identity = receives === 'http' ? null : await makeLoopbackIdentity()
    const receiver = await CustomerReceiver.start(identity)
    const service = await startService({ dataDir, settings: { ...trust(identity, dataDir), ...settings } })
    const browser = await launchBrowser()
    return new Scene({ service, receiver, browser, dataDir }, onStopped)
  }

  /** Stops the service and starts it with other settings, on another port. */
  async restart(settings: Settings): Promise<void> {
    await this.#service.stop()
    this.#service = await startService({ dataDir: this.dataDir, settings })
  }

  async stop(): Promise<void> {
    await this.browser.close()
    await this.#service.stop()
    await this.receiver.stop()
    removeDirectory(this.dataDir)
    await this.#onStopped()
  }

  get url(): string {
    return this.service.url
  }

  /** The service's e-mails: it has no mail server here. */
  get mailbox(): Mailbox {
    return new Mailbox(path.join(this.dataDir, 'emails'))
  }

  workspace(dialect: DialectName, slug: string, name?: string): Promise<WorkspaceClient> {
    return createWorkspace(() => this.service.url, dialect, slug, name)
  }

  /** @returns the member's id */
  async member(workspace: WorkspaceClient, email: string, role: Role, name = email): Promise<string> {
    const path = `/admin/v1/workspaces/${workspace.id}/members`
    const { id } = await this.api.post<{ id: string }>(path, {
      token: ADMIN_TOKEN,
      body: { email, name, role },
    })
    return id
  }

  /** @returns a token for API calls of the member */
  async sessionOf(workspace: WorkspaceClient, memberId: string): Promise<string> {
    const path = `/admin/v1/workspaces/${workspace.id}/members/${memberId}/sessions`
    return (await this.api.post<{ token: string }>(path, { token: ADMIN_TOKEN, body: {} })).token
  }

  /** A webhook that is marked as a member's own. */
  async webhookOf(
    workspace: WorkspaceClient,
    memberId: string,
    webhook: { readonly url: string; readonly events: readonly string[]; readonly description: string },
  ): Promise<{ readonly id: string; readonly secret: string }> {
    const token = await this.sessionOf(workspace, memberId)
    const made = await this.api.post<{ id: string; signing_secret: string }>(
      `/v1/workspaces/${workspace.id}/webhooks`,
      { token, body: webhook },
    )
    return { id: made.id, secret: made.signing_secret }
  }

  /** A sign-in link, as the operator's command prints it. */
  async signInLink(email: string): Promise<string> {
    const { url } = await this.api.post<{ url: string }>('/admin/v1/sign-in-links', {
      token: ADMIN_TOKEN,
      body: { email },
    })
    return url
  }

  /** Opens a browser window with its own session, signed out. */
  async open(look: Look = {}): Promise<OpenPage> {
    const context = await this.browser.openWindow({ ...look, baseURL: this.url })
    context.setDefaultTimeout(PATIENCE_MS)
    const faults = watchPages(context)
    return { page: await context.newPage(), context, faults }
  }

  /** The same but signed in: a member by address, or with `null` an operator by the admin token. */
  async signedIn(email: string | null, look: Look = {}): Promise<OpenPage> {
    const opened = await this.open(look)
    const token = email === null ? ADMIN_TOKEN : new URL(await this.signInLink(email)).hash.slice(1)
    const answer = await opened.context.request.post('/console/v1/session', {
      data: { token },
      headers: { origin: this.url },
    })
    if (!answer.ok())
      throw new Error(`sign-in of ${email ?? 'the operator'}: ${answer.status()} ${await answer.text()}`)
    return opened
  }
}

function trust(identity: Identity | null, directory: string): Settings {
  if (identity === null) return {}
  const file = path.join(directory, 'receiver.pem')
  writeFileSync(file, identity.cert)
  return { POSTHORN_EGRESS_CA_FILE: file }
}
