import { storageConformance } from './conformance.ts'
import { openTemporaryPostgres } from './temporaryPostgres.ts'

storageConformance('PostgreSQL', openTemporaryPostgres)
