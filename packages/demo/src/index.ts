export { type DemoOptions, playDemo } from './demo.ts'
export type { Catalogs, DemoService, RunningService, ServiceSettings } from './service.ts'
