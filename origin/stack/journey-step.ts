/** @throws {JourneyError} */
export type JourneyStep = <Result>(
  name: string,
  act: () => Promise<Result>,
  show: (result: Result) => string,
) => Promise<Result>
