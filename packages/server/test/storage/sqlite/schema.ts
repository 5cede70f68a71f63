import type { Connection } from '../../../src/storage/sqlite/connection.ts'

const sql = {
  objects: `
    SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'
    ORDER BY tbl_name, type = 'table' DESC, rowid`,
}

/**
 * The complete definition of a store's tables, table by table, indexes in the order that SQLite considers
 * them in. SQLite keeps the text of statements, so insignificant blanks, line breaks and quotes are removed;
 * each column has a line.
 */
export function describeSchema(db: Connection): string {
  return db.prepare<[], string>(sql.objects).pluck().all().map(described).join('\n')
}

function described(statement: string): string {
  const text = statement
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=\() | (?=[),])|"/g, '')
    .replaceAll(/,(?! )/g, ', ')
  return `${text.startsWith('CREATE TABLE') ? byColumn(text) : text};\n`
}

function byColumn(table: string): string {
  let depth = 0
  let lines = ''
  for (const [at, letter] of [...table].entries()) {
    if (letter === ')' && --depth === 0) lines += '\n'
    lines += letter
    if (letter === '(') depth++
    const begins = letter === '(' || (letter === ' ' && table[at - 1] === ',')
    if (depth === 1 && begins) lines = `${lines.trimEnd()}\n  `
  }
  return lines
}
