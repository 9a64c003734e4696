# A slim image of the app: no compiler, no tests, no training.
FROM python:3.12-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 NUMBA_CACHE_DIR=/tmp/numba OPENBLAS_NUM_THREADS=1 \
    MALLOC_ARENA_MAX=2 STREAMLIT_SERVER_FILE_WATCHER_TYPE=none
WORKDIR /app

COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt

COPY . .
RUN useradd --create-home reader
USER reader
# Compiled while the image is made, where the processor is of one kind with the host's; elsewhere at the first start.
RUN python -c "from sim.compiler import compiled_rules; compiled_rules()"

EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.headless=true", "--server.address=0.0.0.0"]
