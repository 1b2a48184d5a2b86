/**
 * Performs a step of the journey, and reports its result.
 * @throws {JourneyFailed}
 */
export type JourneyStep = <Result>(
  name: string,
  act: () => Promise<Result>,
  show: (result: Result) => string,
) => Promise<Result>
