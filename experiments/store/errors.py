"""The one exception of the store."""


class StoreError(RuntimeError):
    """The store cannot be used, or was asked for something impossible; the message is shown to the user as it is."""
