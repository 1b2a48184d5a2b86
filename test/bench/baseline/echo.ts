/** Answers each message, to measure a round trip to a process. */
process.on('message', ({ params }: { params: string }) => process.send?.({ value: params }))
