/** @throws {JourneyError} if the step fails */
export type JourneyStep = <Result>(
  name: string,
  act: () => Promise<Result>,
  show: (result: Result) => string,
) => Promise<Result>
