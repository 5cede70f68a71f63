import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../core/clock.ts'
import { type IdKey, toIdKey } from '../../core/ids.ts'
import { Turns } from '../../core/turns.ts'
import { workspaceOf } from '../workspaceOf.ts'
import { callTable, routesOf } from './callTable.ts'
import { type Connection, checkpoint, openConnection } from './connection.ts'
import { lockDirectory } from './directoryLock.ts'
import { openFailure } from './failures.ts'
import { giveWay } from './giveWay.ts'
import { runGroup } from './groupCommit.ts'
import type { Call, FromWorker, Greeting, ToWorker, WorkerSettings } from './messages.ts'
import { migrate } from './migrate.ts'
import { unpack } from './packing.ts'
import { expireAllNodes } from './queries/nodes.ts'
import { createStore } from './store.ts'
import { isStore, readNewestSecret, refuseMoved } from './storeFacts.ts'

/** No further call joins a group that has taken this long, since the others wait for its commit. */
const GROUP_MS = 4

interface Opened {
  readonly db: Connection
  /** Whether there was no store before. */
  readonly isNew: boolean
  readonly close: () => void
}

function open(settings: WorkerSettings): Opened {
  if (settings.role !== 'writer') {
    const db = openConnection(settings)
    return { db, isNew: false, close: () => db.close() }
  }
  const lock = lockDirectory(settings.dataDir)
  try {
    const db = openConnection(settings)
    const isNew = !isStore(db)
    migrate(db, settings.now)
    refuseMoved(db, settings.dataDir)
    expireAllNodes(db)
    return {
      db,
      isNew,
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
  return toIdKey(key)
}

function serve(port: MessagePort, { db, isNew, close }: Opened): void {
  const store = createStore(db)
  const table = callTable(store)
  const send = (message: FromWorker) => port.postMessage(message)

  const calls = new Turns<Call>()
  let [closing, checkpointing] = [false, false]

  function takeIn(first: ToWorker | undefined): void {
    for (let next = first; next !== undefined; next = receive(port)) {
      if (next === null) closing = true
      else if (next === 'checkpoint') checkpointing = true
      else
        for (const { id, name, params: packed } of next) {
          const params = unpack(name, packed)
          calls.add(workspaceOf(name, params), { id, name, params })
        }
    }
  }

  function checkpointIfAsked(): void {
    if (checkpointing) send(checkpointed(db))
    checkpointing = false
  }

  port.on('message', (first: ToWorker) => {
    takeIn(first)
    // Calls that arrived during the last commit join the next group.
    for (; !calls.empty; takeIn(receive(port))) {
      const until = systemClock.monotonic() + GROUP_MS
      const replies = runGroup(
        store,
        table,
        () => calls.next(),
        () => systemClock.monotonic() < until,
      )
      send({ kind: 'replies', replies })
      checkpointIfAsked()
    }
    checkpointIfAsked()
    if (!closing) return
    close()
    port.close()
  })
  send(greeting(db, isNew, routesOf(table)))
}

/** Serves no calls, and so prepares no statements. */
function serveCheckpoints(port: MessagePort, { db, close }: Opened): void {
  port.on('message', (message: ToWorker) => {
    if (message === 'checkpoint') port.postMessage(checkpointed(db))
    if (message !== null) return
    close()
    port.close()
  })
  port.postMessage(greeting(db, false, {}))
}

const greeting = (db: Connection, isNew: boolean, routes: Greeting['routes']): FromWorker => ({
  kind: 'ready',
  isNew,
  idKey: readIdKey(db),
  newestSecret: readNewestSecret(db),
  routes,
})

/** A checkpoint that fails is left to the next one: until then the log grows. */
function checkpointed(db: Connection): FromWorker {
  try {
    checkpoint(db)
  } catch {
    // The disk is full or failing; commits will fail as well, and report it.
  }
  return { kind: 'checkpointed' }
}

function receive(port: MessagePort): ToWorker | undefined {
  return (receiveMessageOnPort(port) as { message: ToWorker } | undefined)?.message
}

function start(port: MessagePort, settings: WorkerSettings): void {
  try {
    if (settings.role === 'background') giveWay()
    const opened = open(settings)
    if (settings.role === 'checkpointer') serveCheckpoints(port, opened)
    else serve(port, opened)
  } catch (error) {
    port.postMessage({ kind: 'refused', message: openFailure(settings.dataDir, error) } satisfies FromWorker)
    port.close()
  }
}

if (parentPort !== null) start(parentPort, workerData as WorkerSettings)
