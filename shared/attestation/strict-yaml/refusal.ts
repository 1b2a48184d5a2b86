import { check } from '../check-failed.ts'

/** @throws {CheckFailed} that names the line */
export function checkLine(line: number, holds: boolean, otherwise: string): asserts holds {
  check(holds, holds ? '' : `line ${line} of docker_compose_file ${otherwise}`)
}
