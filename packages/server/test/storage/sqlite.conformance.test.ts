import { storageConformance } from './conformance.ts'
import { openTemporaryStore } from './temporaryStore.ts'

storageConformance('SQLite', openTemporaryStore)
