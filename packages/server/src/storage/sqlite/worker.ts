import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import type { IdKey } from '../../core/ids.ts'
import { StoreOpenError } from '../storage.ts'
import { expireAllNodes } from './areas/nodes.ts'
import { type Connection, checkpoint, openConnection } from './connection.ts'
import { lockDirectory } from './directoryLock.ts'
import { describeFailure } from './failures.ts'
import { runGroup } from './groupCommit.ts'
import type { Call, FromWorker, Greeting, ToWorker, WorkerSettings } from './messages.ts'
import { migrate } from './migrate.ts'
import { refuseMoved } from './moved.ts'
import { readNewestSecret } from './newestSecret.ts'
import { unpack } from './packing.ts'
import { createStore } from './store.ts'
import { routesOf, verbTable } from './verbs.ts'

interface Opened {
  readonly db: Connection
  readonly close: () => void
}

function open(settings: WorkerSettings): Opened {
  if (settings.role !== 'writer') {
    const db = openConnection(settings)
    return { db, close: () => db.close() }
  }
  const lock = lockDirectory(settings.dataDir)
  try {
    const db = openConnection(settings)
    migrate(db, settings.now)
    refuseMoved(db, settings.dataDir)
    expireAllNodes(db)
    return {
      db,
      close() {
        db.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function readIdKey(db: Connection): IdKey {
  const { id_key: key } = db.prepare<[], { id_key: Buffer }>('SELECT id_key FROM store').get()!
  return [key.readUInt32BE(0), key.readUInt32BE(4), key.readUInt32BE(8), key.readUInt32BE(12)]
}

function serve(port: MessagePort, { db, close }: Opened): void {
  const store = createStore(db)
  const verbs = verbTable(store)
  const send = (message: FromWorker) => port.postMessage(message)

  port.on('message', (first: ToWorker) => {
    const calls: Call[] = []
    let [closing, checkpointing] = [false, false]
    // Whatever came in while the last group was committed makes up the next one.
    for (let next: ToWorker | undefined = first; next !== undefined; next = receive(port)) {
      if (next === null) closing = true
      else if (next === 'checkpoint') checkpointing = true
      else for (const call of next) calls.push({ ...call, params: unpack(call.verb, call.params) })
    }
    if (calls.length > 0) send({ kind: 'replies', replies: runGroup(store, verbs, calls) })
    if (checkpointing) send(checkpointed(db))
    if (!closing) return
    close()
    port.close()
  })
  send(greeting(db, routesOf(verbs)))
}

/** Carries no calls: most of what a thread needs for those it does without. */
function serveCheckpoints(port: MessagePort, { db, close }: Opened): void {
  port.on('message', (message: ToWorker) => {
    if (message === 'checkpoint') port.postMessage(checkpointed(db))
    if (message !== null) return
    close()
    port.close()
  })
  port.postMessage(greeting(db, {}))
}

const greeting = (db: Connection, routes: Greeting['routes']): FromWorker => ({
  kind: 'ready',
  idKey: readIdKey(db),
  newestSecret: readNewestSecret(db),
  routes,
})

/** A checkpoint that cannot be made now is made up for by the next: until then the log grows. */
function checkpointed(db: Connection): FromWorker {
  try {
    checkpoint(db)
  } catch {
    // The disk is full or failing, which every commit finds out as well, and tells.
  }
  return { kind: 'checkpointed' }
}

function receive(port: MessagePort): ToWorker | undefined {
  return (receiveMessageOnPort(port) as { message: ToWorker } | undefined)?.message
}

function start(port: MessagePort, settings: WorkerSettings): void {
  try {
    const opened = open(settings)
    if (settings.role === 'checkpointer') serveCheckpoints(port, opened)
    else serve(port, opened)
  } catch (error) {
    const message = describeFailure(error).message
    const about = error instanceof StoreOpenError ? '' : `the store in ${settings.dataDir} cannot be opened: `
    port.postMessage({ kind: 'refused', message: about + message } satisfies FromWorker)
    port.close()
  }
}

if (parentPort !== null) start(parentPort, workerData as WorkerSettings)
