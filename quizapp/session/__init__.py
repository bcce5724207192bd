"""The session: the only room the fronts call. Async where it waits; the CLI uses asyncio.run."""
