import { VERSION } from '../../engine/attempt/version.ts'
import type { ServedProfile } from '../../profiles/compile.ts'
import type { Profile } from '../../profiles/profile.ts'
import { receiverPrograms } from '../../receiverPrograms/index.ts'
import { receiverPage } from '../../receiverPrograms/page.ts'
import { asyncApi } from './asyncapi.ts'
import {
  adminDocument,
  consoleDocument,
  describeService,
  type ServedProfiles,
  serviceDocument,
} from './build.ts'
import { type Collected, collectOperations } from './collect.ts'
import type { DescribedType, EventService } from './events/service.ts'
import { type File, fileOf, pageOf } from './file.ts'
import { eventSchema, profileSchema, schemaIndex, schemaPath } from './jsonSchemas.ts'
import { buildSlice } from './turns.ts'

type Build = () => Promise<object>

/** Files by path. Each is built once, by the first request for it; a failed build is kept too, so it is not repeated. */
class Files {
  readonly #files = new Map<string, Promise<File>>()

  get(path: string, build: Build): Promise<File> {
    let file = this.#files.get(path)
    if (file === undefined) {
      file = build().then((document) => fileOf(path, document, buildSlice()))
      this.#files.set(path, file)
    }
    return file
  }
}

/** The documents of one version of a service. */
class ServiceDocuments {
  readonly #served: ServedProfile
  readonly #publicUrl: PublicUrl
  readonly #files = new Files()
  #described: Promise<EventService> | null = null
  #types: ReadonlyMap<string, DescribedType> | null = null

  constructor(served: ServedProfile, publicUrl: PublicUrl) {
    this.#served = served
    this.#publicUrl = publicUrl
  }

  described(): Promise<EventService> {
    this.#described ??= describeService(this.#served, buildSlice())
    return this.#described
  }

  openApi(path: string): Promise<File> {
    return this.#files.get(path, async () => {
      const service = await this.described()
      return serviceDocument(await collectOperations(this.#served), service)
    })
  }

  /** @returns `undefined`: there is no program in this language */
  receiving(path: string): Promise<File> | undefined {
    const { profile } = this.#served
    if (path === `/receive/${profile.name}.json`)
      return this.#files.get(path, async () => programsDocument(profile, this.#publicUrl()))
    const [, language] = /^\/receive\/[^/]+\/(\w+)\.md$/.exec(path) ?? []
    const services = [{ profile, title: null }]
    const page = language === undefined ? null : receiverPage(language, services, this.#publicUrl(), null)
    return page === null ? undefined : Promise.resolve(pageOf(page))
  }

  /** @returns `undefined`: no type has its schema at this path */
  async schema(path: string): Promise<File | undefined> {
    const service = await this.described()
    this.#types ??= new Map(service.types.map((type) => [schemaPath(service, type), type]))
    const type = this.#types.get(path)
    return type === undefined ? undefined : this.#files.get(path, async () => eventSchema(service, type))
  }
}

/** Where people reach the service. */
type PublicUrl = () => string

/** Called for a service that documents of several services leave out. */
type OnLeftOut = (error: unknown, service: string) => void

/** The programs that verify its requests, for the console. */
const programsDocument = (profile: Profile, publicUrl: string) => ({
  service: profile.name,
  title: profile.title,
  programs: receiverPrograms(profile, publicUrl),
})

/**
 * The documents of the present services. Those of one service are cached until its profile changes, those of all until any
 * profile does.
 */
export class Documents {
  readonly #profiles: ServedProfiles
  readonly #collected: () => Collected
  readonly #publicUrl: PublicUrl
  readonly #onLeftOut: OnLeftOut
  readonly #services = new WeakMap<ServedProfile, ServiceDocuments>()
  #of: readonly ServedProfile[] = []
  #files = new Files()

  /** @param collected the routes outside of services */
  constructor(
    profiles: ServedProfiles,
    collected: () => Collected,
    publicUrl: PublicUrl,
    onLeftOut: OnLeftOut,
  ) {
    this.#profiles = profiles
    this.#collected = collected
    this.#publicUrl = publicUrl
    this.#onLeftOut = onLeftOut
  }

  /**
   * @returns `undefined`: there is no such document
   * @throws Error when it cannot be built; the same one until the profile changes
   */
  async file(path: string): Promise<File | undefined> {
    const [, folder, name] = /^\/(openapi|schemas|receive)\/([^/]+?)(?:\.json$|\/)/.exec(path) ?? []
    const build = this.#builds[path]
    if (build !== undefined) return this.#filesOfAll().get(path, build)
    const served = name === undefined ? undefined : this.#profiles.get(name)
    if (served === undefined) return undefined
    const service = this.#service(served)
    if (folder === 'receive') return service.receiving(path)
    return folder === 'schemas' ? service.schema(path) : service.openApi(path)
  }

  readonly #builds: Readonly<Record<string, Build>> = {
    '/openapi/admin.json': async () => adminDocument(this.#collected(), await this.#describedServices()),
    '/openapi/console.json': async () => consoleDocument(this.#collected(), await this.#describedServices()),
    '/asyncapi.json': async () => asyncApi(await this.#describedServices(), VERSION, this.#onLeftOut),
    '/schemas/index.json': async () => schemaIndex(await this.#describedServices()),
    '/schemas/profile.json': async () => profileSchema(),
  }

  #filesOfAll(): Files {
    const now = [...this.#profiles.values()]
    const isSame = now.length === this.#of.length && now.every((one, i) => one === this.#of[i])
    if (!isSame) {
      this.#of = now
      this.#files = new Files()
    }
    return this.#files
  }

  #service(served: ServedProfile): ServiceDocuments {
    let service = this.#services.get(served)
    if (service === undefined) {
      service = new ServiceDocuments(served, this.#publicUrl)
      this.#services.set(served, service)
    }
    return service
  }

  /** A failing document must not affect the others. */
  async #describedServices(): Promise<readonly EventService[]> {
    const services: EventService[] = []
    for (const served of [...this.#profiles.values()]) {
      try {
        services.push(await this.#service(served).described())
      } catch (error) {
        this.#onLeftOut(error, served.name)
      }
    }
    return services
  }
}
