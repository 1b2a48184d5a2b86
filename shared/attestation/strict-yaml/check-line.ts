import { check } from '../check-failed.ts'

/** @throws {CheckFailedError} with the line number if the condition is false */
export function checkLine(line: number, holds: boolean, otherwise: string): asserts holds {
  check(holds, holds ? '' : `line ${line} of docker_compose_file ${otherwise}`)
}
