/** Answers each message: a hop to a process and back. */
process.on('message', ({ params }: { params: string }) => process.send?.({ value: params }))
