export { postgresUrl } from '../../../../harness/test/postgresUrl.ts'
