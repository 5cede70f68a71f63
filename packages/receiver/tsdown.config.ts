import { libraryBuild } from '../../tools/libraryBuild.ts'

export default libraryBuild()
