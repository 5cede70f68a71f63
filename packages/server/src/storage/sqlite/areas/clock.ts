import type { VerbTable } from '../messages.ts'
import type { Store } from '../store.ts'

const sql = {
  read: 'SELECT steady_at AS steadyAt, leapt_at AS leaptAt FROM clock WHERE id = 1',
  note: `
    UPDATE clock SET steady_at = coalesce(@steadyAt, steady_at), leapt_at = coalesce(@leaptAt, leapt_at) WHERE id = 1`,
}

type Noted = Awaited<ReturnType<VerbTable['readClock']>>

export function clockVerbs({ db }: Store): Pick<VerbTable, 'readClock' | 'noteClock'> {
  const read = db.prepare<[], Noted>(sql.read)
  const note = db.prepare<Noted>(sql.note)
  return {
    readClock: () => read.get()!,
    noteClock(times) {
      note.run(times)
    },
  }
}
